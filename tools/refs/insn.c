// SPDX-License-Identifier: GPL-2.0-only
/* Instructions that the plugin has to see. */
#include <string.h>

#include "insn.h"
#include "ovnik_refs.h"
#include "qemu.h"

#define INSN_MAX	15

static const u8 magic[] = { OVNIK_REFS_OPCODE, OVNIK_REFS_NAME };

static bool is_prefix(u8 byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
	       byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65;
}

/* Returns where the opcode is, and the REX prefix or 0. */
static const u8 *skip_prefixes(const u8 *bytes, u8 *rex)
{
	const u8 *at = bytes;

	while (at < bytes + INSN_MAX && is_prefix(*at))
		at++;
	*rex = (*at & 0xf0) == 0x40 ? *at++ : 0;
	return at;
}

/* The opcode is 0f 01: by what follows. */
static enum insn find_01(u8 modrm)
{
	if (modrm == 0xf9)
		return INSN_TSC;	/* rdtscp */
	if (modrm == 0xc9)
		return INSN_HALT;	/* mwait */
	return (modrm & 0x38) == 0x38 && modrm < 0xc0 ? INSN_FLUSH : INSN_OTHER;	/* invlpg */
}

/* To a control register. */
static enum insn find_22(u8 modrm, u8 rex, unsigned int *reg)
{
	*reg = (modrm & 7) | (rex & 1) << 3;
	switch (modrm >> 3 & 7) {
	case 3:
		return INSN_CR3;
	case 4:
		return INSN_FLUSH;
	}
	return INSN_OTHER;
}

/* Ours: by its last byte. */
static enum insn find_switch(u8 what)
{
	switch (what) {
	case OVNIK_REFS_ON:
		return INSN_START;
	case OVNIK_REFS_OFF:
		return INSN_STOP;
	case OVNIK_REFS_TREE:
		return INSN_TREE;
	case OVNIK_REFS_IN:
		return INSN_IN;
	case OVNIK_REFS_OUT:
		return INSN_OUT;
	}
	return INSN_OTHER;
}

enum insn insn_find(const struct qemu_plugin_insn *insn, unsigned int *reg)
{
	u8 bytes[INSN_MAX + 4] = { 0 };
	const u8 *at;
	u8 rex;

	qemu_plugin_insn_data(insn, bytes, INSN_MAX);
	if (!memcmp(bytes, magic, sizeof(magic)))
		return find_switch(bytes[sizeof(magic)]);
	at = skip_prefixes(bytes, &rex);
	if (*at == 0xf4)
		return INSN_HALT;
	if (*at != 0x0f)
		return INSN_OTHER;
	switch (at[1]) {
	case 0x01:
		return find_01(at[2]);
	case 0x22:
		return find_22(at[2], rex, reg);
	case 0x31:
		return INSN_TSC;
	case 0x38:
		return at[2] == 0x82 ? INSN_FLUSH : INSN_OTHER;	/* invpcid */
	}
	return INSN_OTHER;
}

/* @modrm: what follows; it names registers from 0xc0 on */
static bool is_plain(u8 opcode, u8 modrm)
{
	u8 more = modrm >> 3 & 7;
	bool regs = modrm >= 0xc0;

	switch (opcode) {
	case 0x00 ... 0x3f:	/* ALU; segments and prefixes are not */
		return (opcode & 7) < 4 ? regs : (opcode & 7) < 6;
	case 0x70 ... 0x7f:	/* jumps */
	case 0x90 ... 0x99:	/* xchg with rax, and its sign */
	case 0xa8 ... 0xa9:	/* test */
	case 0xb0 ... 0xbf:	/* mov */
		return true;
	case 0x8d:		/* lea */
		return !regs;
	case 0x63:		/* movsxd */
	case 0x69:		/* imul */
	case 0x6b:
	case 0x80 ... 0x81:	/* ALU */
	case 0x83 ... 0x8b:	/* ALU, test, xchg, mov */
	case 0xc0 ... 0xc1:	/* shifts */
	case 0xd0 ... 0xd3:
		return regs;
	case 0xc7:		/* mov */
		return regs && !more;
	case 0xf6 ... 0xf7:	/* test, not, neg, mul; divisions fault */
		return regs && more < 6;
	case 0xfe ... 0xff:	/* inc, dec */
		return regs && more < 2;
	}
	return false;
}

/* Behind 0f. */
static bool is_plain_0f(u8 opcode, u8 modrm)
{
	switch (opcode) {
	case 0x40 ... 0x4f:	/* cmov */
	case 0x90 ... 0x9f:	/* setcc */
	case 0xa3:		/* bt */
	case 0xab:
	case 0xaf:		/* imul */
	case 0xb3:		/* bt */
	case 0xb6 ... 0xb7:	/* movzx */
	case 0xbb:		/* bt */
	case 0xbe ... 0xbf:	/* movsx */
		return modrm >= 0xc0;
	case 0xc8 ... 0xcf:	/* bswap */
		return true;
	}
	return false;
}

bool insn_is_plain(const struct qemu_plugin_insn *insn)
{
	u8 bytes[INSN_MAX + 4] = { 0 };
	const u8 *at = bytes;

	qemu_plugin_insn_data(insn, bytes, INSN_MAX);
	if (*at == 0x66)
		at++;
	if ((*at & 0xf0) == 0x40)
		at++;
	return *at == 0x0f ? is_plain_0f(at[1], at[2]) : is_plain(at[0], at[1]);
}

/* Behind 0f: of the system, which QEMU refuses to translate for user mode. */
static bool is_of_system(u8 opcode, u8 modrm)
{
	u8 more = modrm >> 3 & 7;

	switch (opcode) {
	case 0x00:			/* lldt, ltr */
		return more == 2 || more == 3;
	case 0x01:			/* lgdt, lidt, lmsw, invlpg, xsetbv, swapgs; not xgetbv */
		if (modrm < 0xc0)
			return more == 2 || more == 3 || more >= 6;
		return modrm == 0xd1 || modrm == 0xf8 || more == 6;
	case 0x06 ... 0x09:		/* clts, sysret, invd, wbinvd */
	case 0x20 ... 0x23:		/* control and debug registers */
	case 0x30:			/* wrmsr */
	case 0x32:			/* rdmsr */
	case 0x35:			/* sysexit */
		return true;
	}
	return false;
}

enum insn_faults insn_faults(const struct qemu_plugin_insn *insn)
{
	u8 bytes[INSN_MAX + 4] = { 0 };
	const u8 *at;
	u8 rex;

	qemu_plugin_insn_data(insn, bytes, INSN_MAX);
	at = skip_prefixes(bytes, &rex);
	switch (*at) {
	case 0x0f:
		return is_of_system(at[1], at[2]) ? INSN_NOT_FOR_USERS : INSN_FAULTS;
	case 0xcd:			/* int */
	case 0xf4:			/* hlt */
	case 0xfa ... 0xfb:		/* cli, sti */
		return INSN_NOT_FOR_USERS;
	case 0x9b:			/* x87 */
	case 0xd8 ... 0xdf:
		return INSN_FAULTS_PLAIN;
	case 0xf6 ... 0xf7:		/* div, idiv */
		return (at[1] & 0x30) == 0x30 ? INSN_FAULTS_PLAIN : INSN_FAULTS;
	}
	return INSN_FAULTS;
}
