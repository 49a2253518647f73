import { load, type Wanted } from '../load.js'
import { type Fit, type Fitting, fitImage } from './fit-image.js'

export interface Opening extends Fitting, Pick<Wanted, 'allow' | 'signal'> {}

/** The image that a call names, fit for the server. @throws CapstanError as `load` and `fitImage` do */
export async function openImage(given: string, opening: Opening): Promise<Fit> {
  const { field, store, allow, signal } = opening
  const loaded = await load(given, { kind: 'image', field, store, allow, signal })
  try {
    const fit = await fitImage(loaded, opening)
    if (fit.blob !== loaded.blob) await loaded[Symbol.asyncDispose]()
    return fit
  } catch (error) {
    await loaded[Symbol.asyncDispose]()
    throw error
  }
}
