package interleave

// portfolio searches exhaustively at first: orders with few preemptions find most of what there is to find, soon. Then each
// way to draw has a turn, because none finds everything.
type portfolio struct {
	strategy // of this execution
	search   *search
	draws    *sampled
}

// portfolioFirst is how many worlds of a portfolio are spent on the exhaustive search.
const portfolioFirst = 500

// portfolioDraws are the ways to draw, in their turn.
var portfolioDraws = []string{"surw", "pct", "pos"}

func newPortfolio(seed uint64, b *budget) *portfolio {
	return &portfolio{search: newSearch(), draws: newSampled(seed, b, portfolioDraws...)}
}

func (p *portfolio) begin(execution int) bool {
	if execution < portfolioFirst {
		p.strategy = p.search
		return p.search.begin(execution)
	}
	if !p.search.more() {
		return false
	}
	p.strategy = p.draws
	return p.draws.begin(execution - portfolioFirst)
}
