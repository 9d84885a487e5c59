// Package schedule is the text form of schedules: what a person reads, writes, edits and replays.
//
//	A.GET B.GET A.. B..    # both look, then both act
//
// # Words
//
//   - A schedule is a list of tokens separated by spaces or newlines. `#` starts a comment that ends with the line.
//   - A token asks for one step, or for a run of steps ([Until], [Drain], [Run]).
//   - An actor is named by a letter or `_`, then letters, digits, `_` and `-` (ASCII). `run` is not an actor's name.
//   - A command is one word: letters, digits, `_` and `-`, without dots, in any case, printed in upper case. A container
//     command is named by its first word: XGROUP stands for XGROUP CREATE, XGROUP DESTROY and so on. The words
//     `deliver`, `arrive` and `point` are not commands.
//   - A key stands in parentheses. It is quoted as a Go string ("…") where it is empty or contains a space, a quote, a
//     backslash, a comma, `#`, a parenthesis, or anything that does not print. Several keys are separated by commas, and
//     the operation must touch all of them.
//   - A position, @n, is the n-th of the actor's waiting operations that match, in the scheduler's fixed order, from 1.
//     @1 is what a token without a position means, and is not printed.
//   - A server, @name, is one of several that the world has named; the name is like an actor's. A command without one may
//     go to any server, a server fault without one happens to the server that has no name.
//   - A fault, !word, ends a token. The order within a token is always command, @server, (keys), @n, !fault.
//   - A server fault is a token of its own that begins with `!`, then @server, then its parenthesis. !failover is
//     !failover(1), and printed so.
//   - A point, A.point(label), is where code of an actor has called Actor.Point; its only fault is !crash.
//   - A duration is a Go duration above zero. All clock moves of a schedule together stay within [MaxClock].
//
// What each form means is said once, in [Grammar]; [FormatGrammar] prints it.
//
// # Two crashes
//
// A!crash and A.SET!crash differ in more than the command. The first kills A before its waiting operation is sent
// ([CrashBefore]): the server never sees it. The second has SET executed and kills A before the reply ([CrashAfter]).
//
// # Constraints
//
// A [Constraint] orders some operations and leaves the rest free:
//
//	A.GET B.GET < A.SET B.SET; *.DEL(lock) < C.GET
//
// An operation that matches a pattern on the right waits until, for each pattern on the left, an operation that
// matches it has been executed. [ConstraintGrammar] is the table.
//
// # Tokens of a run
//
// A whole run has a compact form for one line of a log, [Compact]: only the steps that were a choice, a few bits of
// fingerprint for all steps, a checksum, the name of the scenario or test, and a version. It begins with a digit, as no
// schedule does. It is no use without the program, whose other steps it leaves out.
//
// # Round trip
//
// Parse(s.String()) is s for every schedule that Validate accepts, and Parse(x).String() is x for every x already in
// printed form. Comments, layout and the case of commands are not kept.
package schedule
