package impl

// PointerKey is the string that holds the id of the running job of target.
func PointerKey(target string) string { return "job:{" + target + "}:running" }

// PointerKey is the pointer of the job's target.
func (j Job) PointerKey() string { return PointerKey(j.Target) }

// Key is the hash of the job.
func (j Job) Key() string { return "job:{" + j.Target + "}:" + j.ID }

// ResultsKey is the hash of the job's results.
func (j Job) ResultsKey() string { return j.Key() + ":results" }
