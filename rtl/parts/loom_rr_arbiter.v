`default_nettype none

module loom_rr_arbiter #(
  parameter integer N = 32
) (
  input  wire         clk_i,
  input  wire         rst_i,
  input  wire [N-1:0] request_i,
  input  wire         advance_i,
  output wire [N-1:0] grant_o
);
  localparam [N-1:0] ONE = 1;
  reg [N-1:0] mask_q;
  wire [N-1:0] masked = request_i & mask_q;
  wire [N-1:0] pick = (masked != {N{1'b0}}) ? masked : request_i;
  wire [N-1:0] grant = pick & (~pick + ONE);
  always @(posedge clk_i) begin
    if (rst_i) mask_q <= {N{1'b1}};
    else if (advance_i && request_i != {N{1'b0}}) mask_q <= ~(grant | (grant - ONE));
  end
  assign grant_o = grant;
endmodule

`default_nettype wire
