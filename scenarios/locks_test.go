package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	need "github.com/racebench/racebench/internal/require"
)

// lockIDs are the races of the lock, in order, and ofLocks is how much of the catalogue they are.
const lockIDs = "B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12"

var ofLocks = ran{scenarios: 12, cases: 24, variants: 32}

// What is measured is the same on a real server, and a run that has not come to its end is no measurement.
func TestMeasured(t *testing.T) {
	for _, name := range []string{"embedded", "process"} {
		t.Run(name, func(t *testing.T) {
			if name != "embedded" {
				need.Backend(t, name)
			}
			r := openOn(t, name)
			for i := range b10.Cases {
				for k := range b10.Cases[i].Variants {
					v := &b10.Cases[i].Variants[k]
					for _, n := range v.Measures() {
						value, err := b10.Measurement.Measure(r, v, n)
						require.NoError(t, err)
						require.Equal(t, v.Measured[n], value, "%s with %d", v.Name, n)
					}
				}
			}
			_, err := b10.Measurement.Measure(r, &b10.Cases[0].Variants[0], 21)
			require.ErrorContains(t, err, "it has from 1 to 20 actors")
			res := run(t, r, &b10.Cases[0].Variants[0], Target)
			_, err = b10.Measurement.Of(res, 3)
			require.EqualError(t, err, "2 of 3 requests have computed")
		})
	}
}
