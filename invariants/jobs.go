package invariants

import (
	"strings"

	"github.com/racebench/racebench/interleave"
)

// Jobs describes asynchronous jobs: a hash for each, which has a status, and for each target at most one pointer, a
// string that holds the id of its running job. Its methods are judgements.
//
// The keys are given as templates with the words <target> and <id> in them:
//
//	Pointer: "job:{<target>}:running"
//	Hash:    "job:{<target>}:<id>"
//	Results: "job:{<target>}:<id>:results"
//
// Target and id stand for at least one character each. A key that fits several templates is what the first of Pointer,
// Results and Hash says.
type Jobs struct {
	Pointer string // key of the pointer of a target
	Hash    string // key of the hash of a job
	Results string // key of the results of a job; empty when there are none
	// Status reads the status of a job from its hash. If unset, it is the field "status", with the words RUNNING,
	// SUCCESS and FAILED.
	Status func(hash *interleave.Entry) Status
}

// Status is what a judgement knows of the status of a job.
type Status int

// The statuses. Missing is that of a job that is not there; Unknown that of a hash without a readable status.
const (
	Missing Status = iota
	Unknown
	Running
	Success
	Failed
)

// String is the status as the traces have it.
func (s Status) String() string {
	return [...]string{"missing", "without a status", "RUNNING", "SUCCESS", "FAILED"}[s]
}

// Terminal reports whether a job of this status has ended.
func (s Status) Terminal() bool { return s == Success || s == Failed }

// Job takes the key of the hash of a job apart; ok is false for any other key.
func (j Jobs) Job(key string) (target, id string, ok bool) {
	x, ok := j.hashOf(key)
	return x.target, x.id, ok
}

// job is one job by its keys.
type job struct{ target, id, key string }

const (
	wordTarget = "<target>"
	wordID     = "<id>"
)

func (j Jobs) pointerKey(target string) string {
	return strings.ReplaceAll(j.Pointer, wordTarget, target)
}

func (j Jobs) hashKey(target, id string) string {
	return strings.NewReplacer(wordTarget, target, wordID, id).Replace(j.Hash)
}

// PointerTarget is the target of a pointer key; ok is false for any other key.
func (j Jobs) PointerTarget(key string) (target string, ok bool) {
	target, _, ok = fit(j.Pointer, key)
	return target, ok
}

// hashOf is the job of the key of a hash.
func (j Jobs) hashOf(key string) (job, bool) {
	if _, ok := j.PointerTarget(key); ok {
		return job{}, false
	}
	if _, ok := j.resultsOf(key); ok {
		return job{}, false
	}
	target, id, ok := fit(j.Hash, key)
	return job{target, id, key}, ok
}

// resultsOf is the job of the key of results.
func (j Jobs) resultsOf(key string) (job, bool) {
	if j.Results == "" {
		return job{}, false
	}
	target, id, ok := fit(j.Results, key)
	return job{target, id, j.hashKey(target, id)}, ok
}

// jobs are the jobs that have a hash, in the order of their keys.
func (j Jobs) jobs(s *interleave.State) []job {
	var jobs []job
	for _, key := range s.Keys("*") {
		if x, ok := j.hashOf(key); ok {
			jobs = append(jobs, x)
		}
	}
	return jobs
}

// status is the status in the hash of a job.
func (j Jobs) status(hash *interleave.Entry) Status {
	if hash == nil {
		return Missing
	}
	if j.Status != nil {
		return j.Status(hash)
	}
	word := hash.Field("status")
	for s := Running; s <= Failed; s++ {
		if s.String() == word {
			return s
		}
	}
	return Unknown
}

// fit takes a key apart by a template.
func fit(template, key string) (target, id string, ok bool) {
	for template != "" {
		at := strings.IndexByte(template, '<')
		word := ""
		if at >= 0 {
			for _, w := range []string{wordTarget, wordID} {
				if strings.HasPrefix(template[at:], w) {
					word = w
				}
			}
		}
		if word == "" {
			return target, id, template == key
		}
		rest, found := strings.CutPrefix(key, template[:at])
		if !found || rest == "" {
			return "", "", false
		}
		template = template[at+len(word):]
		end := len(rest)
		if literal, _, _ := strings.Cut(template, "<"); literal == template && literal != "" {
			end = len(rest) - len(literal) // the last literal is the end of the key
		} else if literal != "" {
			end = strings.Index(rest, literal)
		}
		if end < 1 {
			return "", "", false
		}
		if word == wordTarget {
			target = rest[:end]
		} else {
			id = rest[:end]
		}
		key = rest[end:]
	}
	return target, id, key == ""
}
