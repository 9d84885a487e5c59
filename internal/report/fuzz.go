package report

// Fuzz is what a campaign over drawn worlds has found.
type Fuzz struct {
	Head
	Backend Backend    `json:"backend"`
	Seed    uint64     `json:"seed"`
	Faults  string     `json:"faults"` // that a world may have
	Impls   []FuzzImpl `json:"impls"`
	// Examples are of what was found, of all implementations in their order. See Exploration.Examples.
	Examples []Example `json:"examples,omitempty"`
}

// FuzzImpl is a campaign on one implementation.
type FuzzImpl struct {
	Impl      string   `json:"impl"`
	Verdict   string   `json:"verdict"` // found: every race that was looked for; violated: what must hold does not; undecided; held
	Reason    string   `json:"reason"`  // why it ended
	Shapes    int      `json:"shapes"`
	Worlds    int      `json:"worlds"`
	Undecided int      `json:"undecided"` // of Worlds
	Missing   []string `json:"missing"`   // ids of the races that were looked for and not found
	Found     []Drawn  `json:"found"`     // in the order of being found
}

// Drawn is one finding in a drawn world.
type Drawn struct {
	Scenario  string   `json:"scenario"` // whose race it shows; empty for none of the catalogue
	Invariant string   `json:"invariant"`
	After     int      `json:"after"` // worlds
	Shape     int      `json:"shape"` // number, from 0
	World     []string `json:"world"` // what is given, then a line for each actor
	Schedule  string   `json:"schedule"`
	Steps     int      `json:"steps"`
	Class     string   `json:"class,omitempty"`
	Story     string   `json:"story,omitempty"`
	Decides   string   `json:"decides,omitempty"`
	Replay    string   `json:"replay"`
}
