package report

// Fuzz is what a campaign over drawn worlds has found.
type Fuzz struct {
	Head
	Backend Backend    `json:"backend"`
	Seed    uint64     `json:"seed"`   // that worlds and orders are drawn with
	Faults  string     `json:"faults"` // that a world may have
	Impls   []FuzzImpl `json:"impls"`  // in the order in which they were asked for
	// Examples are of what was found, of all implementations in their order. See Exploration.Examples.
	Examples []Example `json:"examples,omitempty"`
}

// FuzzImpl is a campaign on one implementation.
type FuzzImpl struct {
	Impl      string   `json:"impl"`      // naive
	Verdict   string   `json:"verdict"`   // found: every race that was looked for; violated: what must hold does not; undecided; held
	Reason    string   `json:"reason"`    // why it ended
	Shapes    int      `json:"shapes"`    // drawn
	Worlds    int      `json:"worlds"`    // run
	Undecided int      `json:"undecided"` // of Worlds
	Missing   []string `json:"missing"`   // ids of the races that were looked for and not found
	Found     []Drawn  `json:"found"`     // in the order of being found
}

// Drawn is one finding in a drawn world.
type Drawn struct {
	Scenario  string   `json:"scenario"`          // whose race it shows; empty for none of the catalogue
	Invariant string   `json:"invariant"`         // its name, or the kind of error
	After     int      `json:"after"`             // worlds
	Shape     int      `json:"shape"`             // number, from 0
	World     []string `json:"world"`             // what is given, then a line for each actor
	Schedule  string   `json:"schedule"`          // the simplest order found
	Steps     int      `json:"steps"`             // of that order
	Class     string   `json:"class,omitempty"`   // the kind of race; empty where it can't be told
	Story     string   `json:"story,omitempty"`   // of that order, in sentences
	Decides   string   `json:"decides,omitempty"` // what it hangs on, in words; empty when nothing single
	Replay    string   `json:"replay"`            // the command that shows it again
}
