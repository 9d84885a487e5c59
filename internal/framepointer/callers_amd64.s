#include "textflag.h"

// func callers(pcs []uintptr) int
TEXT ·callers(SB), NOSPLIT|NOFRAME, $0-32
	MOVQ pcs_base+0(FP), DI
	MOVQ pcs_len+8(FP), CX
	MOVQ BP, AX // the caller's frame: 0(AX) is the frame of its caller, 8(AX) where it returns to
	XORQ DX, DX

next:
	CMPQ  DX, CX
	JGE   done
	TESTQ AX, AX
	JEQ   done
	MOVQ  8(AX), BX
	MOVQ  BX, (DI)(DX*8)
	INCQ  DX
	MOVQ  (AX), AX
	JMP   next

done:
	MOVQ DX, ret+24(FP)
	RET
