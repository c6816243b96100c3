# Parley. `make` builds, `make test` is all that CI runs, `make bench` measures.
GO ?= go
export CGO_ENABLED ?= 0

.PHONY: build test unit race fuzz tools demo bench docs clean

build:
	$(GO) build -trimpath -ldflags "-s -w" -o bin/parley .

# The packages with files for another system, but cli: it would build all there is.
OTHERS = ./internal/config ./internal/tool/local ./internal/transport/unix ./internal/workspace ./test/rig

# Everything: what is not installed and can be, is.
test: tools
	$(GO) mod tidy -diff
	$(GO) mod verify
	test -z "$$(find . -path ./.cache -prune -o -name '*.go' -print | xargs gofmt -l)"
	$(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) vet $(OTHERS)
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
	$(GO) test ./test/repo ./internal/cli ./internal/wire -run 'Document|Reference|Matrix' -update

clean:
	rm -rf bin .cache
