#!/usr/bin/env node
// The entry point of the npm package, for which npm creates a launcher on every system.
import '../dist/kubectl-win.js';
