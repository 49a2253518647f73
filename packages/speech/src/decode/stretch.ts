/** Some of a sound: as much as a decoder gives at one time. */
export interface Stretch {
  /** One array for each channel, all of one length, from -1 to 1. */
  readonly channels: readonly Float32Array[]
  /** Samples per second. */
  readonly sampleRate: number
}
