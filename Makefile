# Parley. `make` builds, `make test` is all that CI runs, `make bench` measures.
GO ?= go
export CGO_ENABLED ?= 0

.PHONY: build test unit race fuzz tools demo bench docs clean

build:
	$(GO) build -trimpath -ldflags "-s -w" -o bin/parley .

# Everything: what is not installed and can be, is.
test: tools
	$(GO) mod tidy -diff
	$(GO) mod verify
	test -z "$$(gofmt -l main.go shape_test.go internal)"
	$(GO) vet ./...
	$(GO) test -timeout 900s ./...
	$(MAKE) race
	$(MAKE) fuzz
	sh test/mock.sh
	$(MAKE) demo

# The race detector needs cgo; the program does not.
race:
	CGO_ENABLED=1 $(GO) test -timeout 600s -race -short -vet=off ./internal/...

# A short look by every fuzzer: 300 inputs each. FUZZTIME=5m for a long one.
FUZZTIME ?= 300x
fuzz:
	sh test/fuzz.sh $(FUZZTIME)

tools:
	sh test/tools.sh

demo: build
	bin/parley demo --yes >/dev/null

bench: build
	sh test/bench.sh

# Documents that tests write.
docs:
	$(GO) test ./... -update >/dev/null

clean:
	rm -rf bin .cache
