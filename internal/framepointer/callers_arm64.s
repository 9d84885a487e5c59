#include "textflag.h"

// func callers(pcs []uintptr) int
TEXT ·callers(SB), NOSPLIT|NOFRAME, $0-32
	MOVD pcs_base+0(FP), R0
	MOVD pcs_len+8(FP), R1
	MOVD R29, R2 // the caller's frame: 0(R2) is the frame of its caller, 8(R2) where it returns to
	MOVD $0, R3

next:
	CMP  R1, R3
	BGE  done
	CBZ  R2, done
	MOVD 8(R2), R4
	MOVD R4, (R0)(R3<<3)
	ADD  $1, R3
	MOVD (R2), R2
	B    next

done:
	MOVD R3, ret+24(FP)
	RET
