// SPDX-License-Identifier: Apache-2.0

// loom_player: plays recorded vectors (.out) against a circuit and compares every output bit of
// every cycle with ===, so that a circuit that shows an x differs from a twin that cannot.
//
// Plain Verilog-2005, for any simulator. tb/replay/wrapper.py makes the top module that joins a
// player and a circuit; the format of the vectors and a run by hand stand on the page.
// Page: docs/cosim.md
//
// Plus-arguments:
//   +out=FILE               the vectors
//   +plant=CYCLE:OUTPUT:BIT flip one bit of the circuit's output in that cycle; with x after BIT
//                           it becomes x instead. The player must stop there.
//   +again                  play them twice, the second time after a reset of one edge in the midst
//                           of the work
//   +vcd=FILE               dump waves
// The last line is `replay passed: ...`, `replay failed: ...` or `replay refused: ...`. Icarus
// leaves with status 0, 1 or 2 as well; Verilog itself knows no exit status.
//
// Time: a cycle is PERIOD long. Inputs change one unit after the rising edge, outputs are looked at
// one unit before the next. Reset is held for three edges with all inputs 0; cycle 0 follows.
`default_nettype none

module loom_player #(
  parameter DUT = "",             // must be named in the file
  parameter CONFIG = "",
  parameter IN_BITS = 1,          // all inputs together, in the order of the list, first lowest
  parameter OUT_BITS = 1,
  parameter MAX_CYCLES = 65536,   // room for the vectors
  parameter PERIOD = 10
) (
  output reg                 clk_o,
  output reg                 rst_o,
  output reg  [IN_BITS-1:0]  in_o,
  input  wire [OUT_BITS-1:0] out_i,
  // A difference, for the report that the top makes of it: rises once, the rest stands still then.
  output reg                 differs_o,
  output reg  [31:0]         cycle_o,
  output reg  [OUT_BITS-1:0] got_o,
  output reg  [OUT_BITS-1:0] want_o,
  output reg  [OUT_BITS-1:0] bad_o,        // bits that differ
  // Where the output of the planted difference lies: the top answers with place and width, 0: none.
  output reg  [8*32-1:0]     plant_name_o,
  input  wire [31:0]         plant_at_i,
  input  wire [31:0]         plant_bits_i
);
  localparam IN_DIGITS = (IN_BITS + 3) / 4;
  localparam OUT_DIGITS = (OUT_BITS + 3) / 4;
  localparam WORD = 4 * (IN_DIGITS + OUT_DIGITS);
  localparam LINE = 8 * (IN_DIGITS + OUT_DIGITS + 256);    // of the file, with room for comments

  reg [WORD-1:0] vector [0:MAX_CYCLES-1];
  reg [WORD-1:0] word;

  reg [8*256-1:0] file, plant_text, vcd;
  reg [31:0] cycles;
  reg plant, plant_x;
  reg [31:0] plant_cycle, plant_bit;

  // Ends the simulation; Icarus can hand over a status.
  task leave;
    input integer status;
    begin
`ifdef __ICARUS__
      $finish_and_return(status);
`else
      $finish;
`endif
    end
  endtask

  task refuse;
    input [8*64-1:0] why;
    begin
      $display("replay refused: %0s: %0s", file, why);
      leave(2);
    end
  endtask

  // ---- the file: its head must fit this bench and every word must be there ----------------------

  integer fd, got, line_no, words, in_bits, out_bits;
  integer lanes, bits;
  reg [LINE-1:0] line;
  reg [8*256-1:0] name, config_name;
  reg [8*4-1:0] dir;
  reg [63:0] seed;
  reg ended, bad_head;

  task read_head;
    begin
      got = $fgets(line, fd);
      got = $sscanf(line, "// loom-out 1 %s %s seed %d cycles %d", name, config_name, seed, cycles);
      bad_head = got != 4 || name != DUT || config_name != CONFIG;
    end
  endtask

  // Ports, words, `// end`: counts them all.
  task read_rest;
    begin
      in_bits = 0;
      out_bits = 0;
      words = 0;
      ended = 1'b0;
      got = $fgets(line, fd);
      while (got != 0) begin
        if (ended)
          words = -1;    // something follows the end
        else if ($sscanf(line, "// %s %s %d %d", dir, name, lanes, bits) == 4) begin
          if (dir == "in")
            in_bits = in_bits + lanes * bits;
          else
            out_bits = out_bits + lanes * bits;
        end else if (line == {"// end", 8'h0a})
          ended = 1'b1;
        else
          words = words + 1;
        got = $fgets(line, fd);
      end
    end
  endtask

  task load;
    begin
      if ($value$plusargs("out=%s", file) == 0) begin
        file = "+out=FILE";
        refuse("is missing");
      end else begin
        fd = $fopen(file, "r");
        if (fd == 0)
          refuse("cannot be opened");
        else begin
          read_head;
          if (bad_head)
            refuse("not made for this device and configuration");
          else begin
            read_rest;
            $fclose(fd);
            if (in_bits != IN_BITS || out_bits != OUT_BITS)
              refuse("the ports are others");
            else if (!ended || words != cycles || cycles == 0)
              refuse("not as many words as the head says, or no end");
            else if (cycles > MAX_CYCLES)
              refuse("longer than MAX_CYCLES");
            else
              $readmemh(file, vector, 0, cycles - 1);
          end
        end
      end
    end
  endtask

  // ---- the planted difference -------------------------------------------------------------------

  integer i, place;
  reg [7:0] c;
  reg plant_good;

  // CYCLE:OUTPUT:BIT, character by character; the text is flush right in its register.
  task read_plant;
    begin
      plant = $value$plusargs("plant=%s", plant_text) != 0;
      plant_x = 1'b0;
      plant_cycle = 0;
      plant_bit = 0;
      plant_name_o = 0;
      plant_good = 1'b1;
      place = 0;
      for (i = 255; plant && i >= 0; i = i - 1) begin
        c = plant_text[8*i +: 8];
        if (c == ":")
          place = place + 1;
        else if (place == 1 && c != 0)
          plant_name_o = {plant_name_o[8*31-1:0], c};
        else if (place == 2 && c == "x" && i == 0)
          plant_x = 1'b1;
        else if (c >= "0" && c <= "9" && place == 0)
          plant_cycle = 10 * plant_cycle + {24'd0, c - 8'h30};
        else if (c >= "0" && c <= "9" && place == 2)
          plant_bit = 10 * plant_bit + {24'd0, c - 8'h30};
        else if (c != 0)
          plant_good = 1'b0;
      end
      #1;    // the top looks the name up
      if (plant && (!plant_good || place != 2 || plant_bit >= plant_bits_i ||
                    plant_cycle >= cycles)) begin
        $display("replay refused: +plant=%0s: need CYCLE:OUTPUT:BIT of this circuit", plant_text);
        leave(2);
      end
    end
  endtask

  // ---- the run ----------------------------------------------------------------------------------

  task compare;
    begin
      got_o = out_i;
      if (plant && plant_cycle == cycle_o)
        got_o[plant_at_i + plant_bit] = plant_x ? 1'bx : ~got_o[plant_at_i + plant_bit];
      want_o = word[4*IN_DIGITS +: OUT_BITS];
      bad_o = {OUT_BITS{1'b0}};
      // x in the vectors: not compared.
      if (got_o !== want_o)
        for (i = 0; i < OUT_BITS; i = i + 1)
          bad_o[i] = want_o[i] !== 1'bx && want_o[i] !== got_o[i];
      if (bad_o != {OUT_BITS{1'b0}})
        differs_o = 1'b1;
    end
  endtask

  // From a reset of so many edges to the end of the vectors or the first difference.
  task play;
    input integer edges;
    begin
      cycle_o = 0;
      repeat (edges) begin
        #1;
        rst_o = 1'b1;
        in_o = {IN_BITS{1'b0}};
        #(PERIOD / 2 - 1) clk_o = 1'b0;
        #(PERIOD - PERIOD / 2) clk_o = 1'b1;
      end
      while (cycle_o < cycles && !differs_o) begin
        word = vector[cycle_o];
        #1;
        rst_o = 1'b0;
        in_o = word[0 +: IN_BITS];
        if (^in_o === 1'bx) begin
          refuse("an input is x");
          cycles = 0;
        end
        #(PERIOD / 2 - 1) clk_o = 1'b0;
        #(PERIOD - PERIOD / 2 - 1);
        compare;
        #1;
        if (!differs_o) begin
          clk_o = 1'b1;
          cycle_o = cycle_o + 1;
        end
      end
    end
  endtask

  initial begin
    clk_o = 1'b0;
    rst_o = 1'b1;
    in_o = {IN_BITS{1'b0}};
    differs_o = 1'b0;
    cycle_o = 0;
    load;
    read_plant;
    if ($value$plusargs("vcd=%s", vcd) != 0) begin
      $dumpfile(vcd);
      $dumpvars;
    end
    play(3);
    if ($test$plusargs("again") && !differs_o && cycles != 0) play(1);
    if (differs_o) begin
      $display("replay failed: %0s: %0s %0s differs in cycle %0d", file, DUT, CONFIG, cycle_o);
      leave(1);
    end else if (cycles != 0) begin
      $display("replay passed: %0s: %0s %0s, %0d cycles as recorded", file, DUT, CONFIG, cycles);
      leave(0);
    end
  end
endmodule

`default_nettype wire
