package impl

import (
	"embed"
	"strconv"
	"strings"
)

// Tests are left out: no file here has a name that ends in t otherwise.
//
//go:embed *[^t].go naive/*[^t].go lua/*[^t].go calibration/*[^t].go
var sources embed.FS

// SourceLine is the line of a subject's source that a step of a trace names as naive/jobs.go:66; empty where there is none.
func SourceLine(caller string) string {
	file, n := SourcePlace(caller)
	text, err := sources.ReadFile(strings.TrimPrefix(file, "impl/"))
	lines := strings.Split(string(text), "\n")
	if err != nil || n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}

// SourcePlace is the file of this repository, from its root, and the line that a step of a trace names as naive/jobs.go:66: of
// a subject, or of a scenario. The line is 0 where it names none.
func SourcePlace(caller string) (string, int) {
	file, number, _ := strings.Cut(caller, ":")
	pkg, _, found := strings.Cut(file, "/")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || !found {
		return "", 0
	}
	if pkg != "impl" && pkg != "scenarios" {
		file = "impl/" + file
	}
	return file, n
}
