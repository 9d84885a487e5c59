package interleave_test

import (
	"os"
	"testing"

	"github.com/racebench/racebench/internal/raced"
)

func TestMain(m *testing.M) {
	raced.Checks()
	os.Exit(m.Run())
}
