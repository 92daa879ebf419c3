import {delaysOf} from './delays.mjs';

/**
 * The time that the delays of the nodes take with a client that costs nothing, in milliseconds: a limited number of
 * pods starts in parallel, and each node is read when its pod runs, again a limited number in parallel.
 */
export function idealMs(names, {starting, reading}) {
  const started = queue(
    names.map(name => ({name, from: 0, takes: delaysOf(name).startMs})),
    starting,
  );
  return readMs(started, reading);
}

/** The same if helpers are installed, and if each has a cached answer, which takes a fraction of the time. */
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

/** The end of each job, if jobs start in order, a limited number in parallel, and none before its start time. */
function queue(jobs, limit) {
  const free = Array.from({length: limit}, () => 0);
  return jobs.map(({name, from, takes}) => {
    const next = free.indexOf(Math.min(...free));
    free[next] = Math.max(from, free[next]) + takes;
    return {name, done: free[next]};
  });
}
