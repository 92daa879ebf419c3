#!/usr/bin/env node
// The entry of the npm package: npm makes of it what each system can start, Windows included.
import '../dist/kubectl-win.js';
