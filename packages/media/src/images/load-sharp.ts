import { CapstanError } from '@capstan/core'

export type Sharp = typeof import('sharp')['default']

/**
 * The package that scales and converts images, which users install when they need it.
 * @throws CapstanError `unsupported` when it is not installed; `why` says what it is needed for
 */
export async function loadSharp(
  why: string,
  load: () => Promise<{ default: Sharp }> = () => import('sharp'),
): Promise<Sharp> {
  try {
    return (await load()).default
  } catch (cause) {
    const message = `${why} For that, install the package "sharp" (npm install sharp).`
    throw new CapstanError('unsupported', message, { cause, evidence: { package: 'sharp' } })
  }
}
