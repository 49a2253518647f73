import type { Artifact } from '@capstan/core'
import * as z from 'zod/v4'

// Strict for the compiler, lenient at run time: a model's wrong id should reach the store,
// where the error can name the ids that exist.

/** Id of an image. */
export const imageId = z.string() as unknown as z.ZodType<Artifact<'image'>['id'], Artifact<'image'>['id']>

/** Id of an audio recording. */
export const audioId = z.string() as unknown as z.ZodType<Artifact<'audio'>['id'], Artifact<'audio'>['id']>
