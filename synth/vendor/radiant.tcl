# SPDX-License-Identifier: Apache-2.0
#
# A Lattice Radiant project of one design of synth/designs.list, synthesised, placed, routed and timed.
#   make harness D=NAME && radiantc synth/vendor/radiant.tcl NAME [DEVICE] [SPEED] [MHZ]
# Run it in the root of the house. What it writes is in build/radiant/NAME.
lassign $argv name device speed mhz
if {$name eq ""} { error "usage: radiantc synth/vendor/radiant.tcl NAME \[DEVICE\] \[SPEED\] \[MHZ\]" }
if {$device eq ""} { set device LFCPNX-100-9LFG672C }
if {$speed eq ""} { set speed 9_High-Performance_1.0V }
if {$mhz eq ""} { set mhz 100 }
source build/synth/$name/files.tcl
set root [pwd]
file mkdir build/radiant/$name

set sdc [open build/radiant/$name/clock.sdc w]
puts $sdc "create_clock -name {clk} -period [expr {1000.0 / $mhz}] \[get_ports clk\]"
close $sdc

cd build/radiant/$name
prj_create -name $name -impl impl_1 -dev $device -performance $speed -synthesis lse
foreach file $files { prj_add_source $root/$file }
prj_add_source clock.sdc
prj_set_impl_opt -impl impl_1 {include path} $root/rtl/include
prj_set_impl_opt -impl impl_1 {top} harness
prj_save
prj_run Synthesis -impl impl_1
prj_run Map -impl impl_1
prj_run PAR -impl impl_1
prj_close
