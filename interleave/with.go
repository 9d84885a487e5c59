package interleave

import "context"

// ExploreWith is Explore with some options changed for this exploration. Those of the throwaway Redis stay as they are. The
// error is that of an option.
func (r *Runner) ExploreWith(ctx context.Context, world func(*World), opts ...Option) (*Exploration, error) {
	own := *r.cfg
	changed, err := own.with(opts)
	if err != nil {
		return nil, err
	}
	was := r.cfg
	r.cfg = changed
	defer func() { r.cfg = was }()
	return r.Explore(ctx, world), nil
}
