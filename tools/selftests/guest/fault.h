/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_FAULT_H
#define GUEST_FAULT_H

/**
 * enum fault_flags - What is special about the faults of a line of faultload's log.
 * @FAULT_AGAIN:   some may be given up for a signal, without an end, and come again
 * @FAULT_IN_VAIN: the kernel's own, which end in an error of the system call: no end
 * @FAULT_UNSEEN:  the kernel counts what the processor does not see: no records
 * @FAULT_NONE:    there are none
 */
enum fault_flags {
	FAULT_AGAIN	= 1 << 0,
	FAULT_IN_VAIN	= 1 << 1,
	FAULT_UNSEEN	= 1 << 2,
	FAULT_NONE	= 1 << 3,
};

#endif /* GUEST_FAULT_H */
