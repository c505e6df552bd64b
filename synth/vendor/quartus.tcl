# SPDX-License-Identifier: Apache-2.0
#
# A Quartus Prime project of one design of synth/designs.list, compiled and timed.
#   make harness D=NAME && quartus_sh -t synth/vendor/quartus.tcl NAME [DEVICE] [MHZ]
# Run it in the root of the house. What it writes is in build/quartus/NAME.
package require ::quartus::project
package require ::quartus::flow
lassign $argv name device mhz
if {$name eq ""} { error "usage: quartus_sh -t synth/vendor/quartus.tcl NAME \[DEVICE\] \[MHZ\]" }
if {$device eq ""} { set device 5CGXFC9E7F35C8 }
if {$mhz eq ""} { set mhz 100 }
source build/synth/$name/files.tcl
set root [pwd]
file mkdir build/quartus/$name
cd build/quartus/$name

project_new -overwrite $name
set_global_assignment -name DEVICE $device
set_global_assignment -name TOP_LEVEL_ENTITY harness
set_global_assignment -name SEARCH_PATH $root/rtl/include
foreach file $files { set_global_assignment -name VERILOG_FILE $root/$file }

set sdc [open clock.sdc w]
puts $sdc "create_clock -name clk -period [expr {1000.0 / $mhz}] \[get_ports clk\]"
# Pins are not of interest, only paths from register to register.
puts $sdc "set_false_path -from \[get_ports {in load}\]"
puts $sdc "set_false_path -to \[get_ports out_pin\]"
close $sdc
set_global_assignment -name SDC_FILE clock.sdc

execute_flow -compile
project_close
