// Package invariants holds judgements that are used again and again, as values for World.Check of package interleave.
//
// Each is a pure function of a state and its trace, has a name that reads well in a report ("no unreferenced jobs"),
// and gives one of three verdicts: it says undecided when a fact is missing, never held. None knows a scenario or a
// subject: what a key or a row means is an argument.
//
// [Jobs] is the description of an asynchronous job (a hash with a status, and one pointer a target that names the
// running one); its methods are the judgements about it. [Computing] is that of actors who compute on a datum in a
// state, and [Tasks] that of a queue with a row for each task. [Linearizable] judges any history of operations by how
// the thing behaves when they come one after the other. The rest stands alone.
//
// # When
//
// A judgement about what a step did looks at the last step only, since it was asked after each of those before. When
// nothing more can happen it looks at every step again, so it may be asked at the end alone: the verdict names the step
// all the same. A judgement about the data looks at the data of its moment.
package invariants
