// Command redis serves the part of Redis that Argo CD uses, on the address that is its only argument.
// It saves nothing, and lets keys expire as time goes by, which the library leaves to its tests.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/alicebob/miniredis/v2"
)

func main() {
	server := miniredis.NewMiniRedis()
	if err := server.StartAddr(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for range time.Tick(time.Second) {
		server.FastForward(time.Second)
	}
}
