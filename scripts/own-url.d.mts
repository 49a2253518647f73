import type { Options } from 'tsup'

export const ownUrl: NonNullable<Options['esbuildOptions']>
