/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CFG_TEMPLATE_H
#define OVNIK_EMU_CFG_TEMPLATE_H

/*
 * What a view is for Paraver, to be printed with: whose it is (Thread or CPU), title, line for the
 * colours or "", how to draw, which value, PRV type, label of the type; and what checkpatch takes
 * for a license of this file.
 */
#define CFG_TEMPLATE \
	"#ParaverCFG\n" \
	"# SPDX-%8$s: GPL-2.0-only\n" \
	"ConfigFile.Version: 3.4\n" \
	"ConfigFile.NumWindows: 1\n" \
	"\n" \
	"\n" \
	"################################################################################\n" \
	"< NEW DISPLAYING WINDOW %1$s: %2$s >\n" \
	"################################################################################\n" \
	"window_name %1$s: %2$s\n" \
	"window_type single\n" \
	"window_id 1\n" \
	"window_position_x 100\n" \
	"window_position_y 100\n" \
	"window_width 600\n" \
	"window_height 150\n" \
	"window_comm_lines_enabled true\n" \
	"window_flags_enabled false\n" \
	"window_noncolor_mode true\n" \
	"%3$s" \
	"window_logical_filtered true\n" \
	"window_physical_filtered false\n" \
	"window_comm_fromto true\n" \
	"window_comm_tagsize true\n" \
	"window_comm_typeval true\n" \
	"window_units Microseconds\n" \
	"window_maximum_y 1000.0\n" \
	"window_minimum_y 1.0\n" \
	"window_compute_y_max true\n" \
	"window_level thread\n" \
	"window_scale_relative 1.000000000000\n" \
	"window_end_time_relative 1.000000000000\n" \
	"window_object appl { 1, { All } }\n" \
	"window_begin_time_relative 0.000000000000\n" \
	"window_open true\n" \
	"window_drawmode %4$s\n" \
	"window_drawmode_rows %4$s\n" \
	"window_pixel_size 1\n" \
	"window_labels_to_draw 1\n" \
	"window_selected_functions { 14, { {cpu, Active Thd}, {appl, Adding}, {task, Adding}, {thread, %5$s}, {node, Adding}, {system, Adding}, {workload, Adding}, {from_obj, All}, {to_obj, All}, {tag_msg, All}, {size_msg, All}, {bw_msg, All}, {evt_type, =}, {evt_value, All} } }\n" \
	"window_compose_functions { 9, { {compose_cpu, As Is}, {compose_appl, As Is}, {compose_task, As Is}, {compose_thread, As Is}, {compose_node, As Is}, {compose_system, As Is}, {compose_workload, As Is}, {topcompose1, As Is}, {topcompose2, As Is} } }\n" \
	"window_filter_module evt_type 1 %6$u\n" \
	"window_filter_module evt_type_label 1 \"%7$s\"\n"

#endif /* OVNIK_EMU_CFG_TEMPLATE_H */
