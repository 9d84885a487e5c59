package scenarios

import "github.com/racebench/racebench/impl/calibration"

var x03 = &Scenario{
	ID:      "X3",
	Name:    "write-skew",
	Subject: calibrationSubject,
	Title:   "two leave a rota, each because the other stays",
	Story: `Two people are on call, and somebody has to be. Both ask to leave at the same moment. Each request reads both keys, sees
that the other person stays, and writes its own key. No key is written twice, so nothing is overwritten and no WATCH of the key that is
written would help: what each has read is no longer true when it writes.`,
	Window: "Leave: between GET of the other person and SET of one's own",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "A.GET A.GET B.GET B.GET A.. B..",
			World:    rota((*calibration.Rota).Leave),
			Breaks:   []Break{{somebodyOnCall, 6}},
			Shows:    "both have left, and nobody is on call",
			Count:    countLeaves,
			Counts:   Counts{leaves: 2, onCall: 0},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "A.EVAL B.EVAL A.. B..",
			World:    rota((*calibration.Rota).LeaveScript),
			Shows:    "A has left, B stays",
			Count:    countLeaves,
			Counts:   Counts{leaves: 1, onCall: 1},
		}}},
	},
}
