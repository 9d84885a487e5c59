package interleave

import (
	"errors"
	"slices"
	"testing"
)

// Confirm has Explore, the test, run every counterexample again on another throwaway Redis, named as for Redis: "process",
// say, for what was found on embedded. Where the two do not do the same the test fails with a *FidelityError, which is
// a fault of one of them and no race.
func Confirm(spec string) Option { return func(c *config) { c.confirm = spec } }

// ConfirmFindings confirms on r what another runner, from, has found: of each finding the order that is shown, to its end,
// and the one that was found first. There is one error for each finding, the first that Confirm gives; nil where both
// backends did the same.
func (r *Runner) ConfirmFindings(x *Exploration, from *Runner, world func(*World)) []error {
	known := map[string]error{}
	confirm := func(res *Result) error {
		text := res.Trace.Schedule().String()
		err, ok := known[text]
		if !ok {
			_, err = r.Confirm(res, world)
			known[text] = err
		}
		return err
	}
	errs := make([]error, len(x.Found))
	for i, f := range x.Found {
		if f.Shrunk != nil {
			whole := f.Shrunk
			if whole.Trace.Bound == boundShown {
				whole = from.RunSchedule(whole.Trace.Schedule(), world) // what was cut off could differ too
			}
			errs[i] = confirm(whole)
		}
		if errs[i] == nil {
			errs[i] = confirm(f.First)
		}
	}
	return errs
}

// confirmTest confirms what a test has found, and fails it once for each difference.
func (r *Runner) confirmTest(t *testing.T, x *Exploration, opts []Option, world func(*World)) {
	t.Helper()
	if r.cfg.confirm == "" || len(x.Found) == 0 {
		return
	}
	second := openTest(t, append(slices.Clone(opts), Redis(r.cfg.confirm)))
	var said []string
	for i, err := range second.ConfirmFindings(x, r, world) {
		var fault *FidelityError
		switch {
		case err == nil:
			name, version := second.Backend()
			t.Logf("interleave: %q: the same on %s %s", x.Found[i].What, name, version)
		case slices.Contains(said, err.Error()):
		case errors.As(err, &fault):
			t.Errorf("interleave: %v", fault)
		default:
			t.Errorf("interleave: %q could not be confirmed: %v%s", x.Found[i].What, err, hint(err))
		}
		if err != nil {
			said = append(said, err.Error())
		}
	}
}
