import type { Snapshot } from './snapshot.js'

/** The snapshot from the package's build, which replaces this file. Undefined when running from source. */
export const builtSnapshot: Snapshot | undefined = undefined
