/** Tells the bench where this process listens, and what it has used whenever that is asked. It ends with the bench. */
export function report(port) {
  process.on('message', (what) => {
    // Not before a measurement of speed: a collection throws compiled code away as well.
    if (what === 'memory') globalThis.gc?.();
    process.send?.({ cpu: process.cpuUsage(), memory: process.memoryUsage() });
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ port });
}
