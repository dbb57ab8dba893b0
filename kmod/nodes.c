// SPDX-License-Identifier: GPL-2.0-only
/* /dev/ovnik/cpuN and /dev/ovnik/dump: their names, owners and modes. */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/slab.h>

#include "access.h"
#include "compat.h"
#include "nodes.h"

static dev_t first;
static struct class *class;

/* Of a type and not of the class, because only a type has an owner. */
static char *ovnik_devnode(OVNIK_DEVNODE_CONST struct device *dev, umode_t *mode, kuid_t *uid,
			   kgid_t *gid)
{
	if (mode)
		*mode = ovnik_access_mode(0600);
	if (gid)
		*gid = ovnik_access_gid();
	return kasprintf(GFP_KERNEL, "ovnik/%s", dev_name(dev) + strlen("ovnik-"));
}

static void release_device(struct device *dev)
{
	kfree(dev);
}

static const struct device_type node_type = {
	.name		= "ovnik",
	.devnode	= ovnik_devnode,
	.release	= release_device,
};

/* device_create() knows no type. */
static int create_node(unsigned int minor, const char *name)
{
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int ret;

	if (!dev)
		return -ENOMEM;
	device_initialize(dev);
	dev->class = class;
	dev->type = &node_type;
	dev->devt = first + minor;
	ret = dev_set_name(dev, "ovnik-%s", name);
	if (!ret)
		ret = device_add(dev);
	if (ret)
		put_device(dev);
	return ret;
}

static void remove_all(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		device_destroy(class, first + cpu);
	device_destroy(class, first + nr_cpu_ids);
}

static int create_all(void)
{
	unsigned int cpu;
	int ret = create_node(nr_cpu_ids, "dump");

	for_each_possible_cpu(cpu) {
		char name[16];

		snprintf(name, sizeof(name), "cpu%u", cpu);
		if (!ret)
			ret = create_node(cpu, name);
	}
	if (ret)
		remove_all();
	return ret;
}

/**
 * ovnik_nodes_create() - Create the files of /dev/ovnik.
 * @base: number of CPU 0; that of the statedump comes after the CPUs
 *
 * Context: Process, at module load.
 * Return: 0; a negative errno, and nothing is left behind.
 */
int ovnik_nodes_create(dev_t base)
{
	int ret;

	first = base;
	class = ovnik_class_create("ovnik");
	if (IS_ERR(class))
		return PTR_ERR(class);
	ret = create_all();
	if (ret)
		class_destroy(class);
	return ret;
}

/**
 * ovnik_nodes_remove() - Remove them.
 *
 * Context: Process, at module unload.
 */
void ovnik_nodes_remove(void)
{
	remove_all();
	class_destroy(class);
}
