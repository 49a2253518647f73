/** Sound in, bytes out, piece by piece. Nothing of what was given is kept for longer than it takes to fill a frame. */
export interface Encoder {
  /** The next samples; returns the bytes that are ready, which may be none. */
  readonly encode: (samples: Int16Array) => Uint8Array
  /** The bytes still missing, once; call nothing after it. */
  readonly finish: () => Uint8Array
}
