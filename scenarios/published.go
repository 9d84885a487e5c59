package scenarios

import "fmt"

// PublishedScenarios are the scenarios whose counts the published figures are made of.
var PublishedScenarios = []string{"A1", "A2", "A3", "A4"}

// Published prints the figures of the published run in its own six lines. The counts are of the scenarios A1 to A4, by
// id, each summed over all repeats; passed says that every one of these runs showed what the catalogue expects.
func Published(repeats int, naive, lua map[string]Counts, passed bool) []string {
	verdict := "All invariants passed"
	if !passed {
		verdict = "Not all invariants passed"
	}
	return []string{
		fmt.Sprintf("%d forced interleaving scenarios", repeats),
		fmt.Sprintf("GET -> SET: job hashes=%d, unreferenced jobs=%d", naive["A1"][jobHashes], naive["A1"][unreferencedJobs]),
		fmt.Sprintf("Lua acquire: acquired=%d, reused=%d, job hashes=%d", lua["A1"][acquired], lua["A1"][reused], lua["A1"][jobHashes]),
		fmt.Sprintf("Terminal transition: late SUCCESS before=%d, after=%d", naive["A2"][lateSuccess], lua["A2"][lateSuccess]),
		fmt.Sprintf("Pointer ownership: late SUCCESS rejected=%d, current pointers preserved=%d", lua["A3"][lateSuccessRejected], lua["A4"][pointersPreserved]),
		verdict,
	}
}
