# SPDX-License-Identifier: Apache-2.0
#
# A Vivado project of one design of synth/designs.list, synthesised, placed, routed and timed.
#   make harness D=NAME && vivado -mode batch -source synth/vendor/vivado.tcl -tclargs NAME [PART] [MHZ]
# Run it in the root of the house. What it writes is in build/vivado/NAME.
lassign $argv name part mhz
if {$name eq ""} { error "usage: vivado -mode batch -source synth/vendor/vivado.tcl -tclargs NAME \[PART\] \[MHZ\]" }
if {$part eq ""} { set part xc7a100tcsg324-1 }
if {$mhz eq ""} { set mhz 100 }
source build/synth/$name/files.tcl
set out build/vivado/$name

create_project -force $name $out -part $part
add_files -norecurse $files
set_property include_dirs [file normalize rtl/include] [current_fileset]
set_property top harness [current_fileset]

set xdc [open $out/clock.xdc w]
puts $xdc "create_clock -name clk -period [expr {1000.0 / $mhz}] \[get_ports clk\]"
# Pins are not of interest, only paths from register to register.
puts $xdc "set_false_path -from \[get_ports {in load}\]"
puts $xdc "set_false_path -to \[get_ports out_pin\]"
close $xdc
add_files -fileset constrs_1 $out/clock.xdc

launch_runs synth_1
wait_on_run synth_1
launch_runs impl_1 -to_step route_design
wait_on_run impl_1
open_run impl_1
report_utilization -hierarchical -file $out/utilization.txt
report_timing_summary -file $out/timing.txt
report_timing -setup -max_paths 10 -file $out/paths.txt
