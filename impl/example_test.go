package impl_test

import (
	"errors"
	"fmt"

	"github.com/racebench/racebench/impl"
)

func ExampleJob() {
	job := impl.Job{Target: "doc-1", ID: "j1"}
	fmt.Println(job)
	fmt.Println(job.PointerKey())
	fmt.Println(job.Key())
	fmt.Println(job.ResultsKey())
	// Output:
	// doc-1/j1
	// job:{doc-1}:running
	// job:{doc-1}:j1
	// job:{doc-1}:j1:results
}

func ExampleRefusedError() {
	job := impl.Job{Target: "doc-1", ID: "j1"}
	err := fmt.Errorf("worker 7: %w", &impl.RefusedError{Job: job, Op: "succeed", Met: impl.JobFailed})

	var refused *impl.RefusedError
	if errors.As(err, &refused) {
		fmt.Println("met", refused.Met)
	}
	fmt.Println(errors.Is(err, impl.ErrRefused))
	fmt.Println(err)
	// Output:
	// met FAILED
	// true
	// worker 7: job doc-1/j1: succeed refused by the job's state: it is FAILED
}
