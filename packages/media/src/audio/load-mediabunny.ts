import { CapstanError } from '@capstan/core'

export type Mediabunny = typeof import('mediabunny')

/**
 * The package that reads and writes containers, which users install when they need it.
 * @throws CapstanError `unsupported` when it is not installed; `why` says what it is needed for
 */
export async function loadMediabunny(
  why: string,
  load: () => Promise<Mediabunny> = () => import('mediabunny'),
): Promise<Mediabunny> {
  try {
    return await load()
  } catch (cause) {
    const message = `${why} For that, install the package "mediabunny" (npm install mediabunny), or give a WAV, which needs none.`
    throw new CapstanError('unsupported', message, { cause, evidence: { package: 'mediabunny' } })
  }
}
