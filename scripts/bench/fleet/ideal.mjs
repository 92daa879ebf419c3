import {delaysOf} from './delays.mjs';

/**
 * How long the nodes' own delays take with a client that costs nothing, in milliseconds: pods start, so many in parallel,
 * and each node is read when its pod runs, so many in parallel.
 */
export function idealMs(names, {starting, reading}) {
  const started = queue(
    names.map(name => ({name, from: 0, takes: delaysOf(name).startMs})),
    starting,
  );
  return readMs(started, reading);
}

/** The same where helpers run already, and where each has kept its answer, which then takes a part of the time. */
export function idealReadMs(names, {reading}, part = 1) {
  return readMs(
    names.map(name => ({name, done: 0})),
    reading,
    part,
  );
}

function readMs(started, limit, part = 1) {
  const inOrder = started.toSorted((one, other) => one.done - other.done);
  const read = queue(
    inOrder.map(({name, done}) => ({name, from: done, takes: delaysOf(name).collectMs * part})),
    limit,
  );
  return Math.max(...read.map(({done}) => done));
}

/** When each job is done, if they are taken up in order, so many in parallel, and none before its time. */
function queue(jobs, limit) {
  const free = Array.from({length: limit}, () => 0);
  return jobs.map(({name, from, takes}) => {
    const next = free.indexOf(Math.min(...free));
    free[next] = Math.max(from, free[next]) + takes;
    return {name, done: free[next]};
  });
}
