package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
)

// share is one of several shards of an exploration.
type share struct{ index, count int }

// maxShards is as many as there can be units.
const maxShards = 64

// share finds out which shard this is, from the flags or from the environment of a job runner. Nil means the whole.
func (c *campaignFlags) share() (*share, error) {
	switch {
	case len(c.merged) > 0:
		return nil, nil
	case c.shard != "" && c.shards != 0:
		return nil, usage("--shard 1/3 says both", "--shard and --shards exclude each other")
	case c.shard != "":
		return parseShare(c.shard)
	case c.shards != 0:
		return indexedShare(c.shards)
	}
	return bazelShare()
}

func parseShare(text string) (*share, error) {
	i, n, ok := strings.Cut(text, "/")
	index, err1 := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || index < 1 || of < index || of > maxShards {
		return nil, usage(fmt.Sprintf("--shard 1/3 is the first of three; at most %d", maxShards), "no shard %q", text)
	}
	return &share{index - 1, of}, nil
}

// indexedShare is the shard of a pod of a Kubernetes Indexed Job, whose index counts from 0.
func indexedShare(of int) (*share, error) {
	const variable = "JOB_COMPLETION_INDEX"
	text, ok := os.LookupEnv(variable)
	if !ok {
		return nil, usage("or say which with --shard 1/"+strconv.Itoa(of), "--shards needs %s, which an Indexed Job sets", variable)
	}
	index, err := strconv.Atoi(text)
	if err != nil || index < 0 || index >= of || of > maxShards {
		return nil, usage(fmt.Sprintf("from 0 to %d, with at most %d shards", of-1, maxShards), "%s=%s is no index of %d shards", variable, text, of)
	}
	return &share{index, of}, nil
}

// bazelShare is the shard that Bazel's test runner asks for. The runner wants to know that it was understood.
func bazelShare() (*share, error) {
	total, ok := os.LookupEnv("TEST_TOTAL_SHARDS")
	if !ok || total == "" || total == "1" || total == "0" {
		return nil, nil
	}
	of, err1 := strconv.Atoi(total)
	index, err2 := strconv.Atoi(os.Getenv("TEST_SHARD_INDEX"))
	if err1 != nil || err2 != nil || index < 0 || index >= of || of > maxShards {
		return nil, usage(fmt.Sprintf("an index from 0, and at most %d shards", maxShards), "TEST_SHARD_INDEX=%s of TEST_TOTAL_SHARDS=%s is no shard", os.Getenv("TEST_SHARD_INDEX"), total)
	}
	if file := os.Getenv("TEST_SHARD_STATUS_FILE"); file != "" {
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			return nil, usage("", "can't write TEST_SHARD_STATUS_FILE: %v", err)
		}
	}
	return &share{index, of}, nil
}

// of is what of the units belongs to the shard: every n-th, so that neighbours, which are alike, are spread.
func (s *share) of(units []interleave.Unit) []interleave.Unit {
	var mine []interleave.Unit
	for i, u := range units {
		if i%s.count == s.index {
			mine = append(mine, u)
		}
	}
	return mine
}

// String is 1/3 for the first of three, and empty for the whole.
func (s *share) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.index+1, s.count)
}

// printShard writes the file of a shard, or prints it, and says what it holds. A shard proves nothing about the whole: it ends
// with code 1 when it has found a violation, and with 0 when it has been explored to its end.
func (c *campaign) printShard(word string, json bool, x *interleave.Exploration) error {
	doc := c.parts(word)
	if json {
		if err := report.Encode(exact{c.a.stdout}, doc); err != nil {
			return err
		}
	} else {
		file := c.out
		if file == "" {
			file = filepath.Join("results", fmt.Sprintf("explore-%s-%d-of-%d.json", c.name, c.mine.index+1, c.mine.count))
		}
		if err := report.WriteParts(file, doc); err != nil {
			return usage("give another --out FILE", "can't write %s: %v", file, err)
		}
		fmt.Fprintf(c.a.stdout, "shard %s: %d executions, %d orders, %d violate; written to %s\n", c.mine, x.Executions, x.Orders, x.Violating, plainLine(file))
	}
	switch {
	case x.Err != nil:
		return unjudged(x.Err)
	case x.Violating > 0:
		return silent(codeUnexpected)
	case !c.assembly.Done() || x.Bound != "" && !x.Complete:
		return silent(codeUndecided)
	}
	return nil
}
