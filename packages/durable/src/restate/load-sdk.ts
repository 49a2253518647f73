import { CapstanError } from '@capstan/core'

export type Sdk = typeof import('@restatedev/restate-sdk')

/** What workers are made of. @throws CapstanError `unsupported` where it is not installed, or cannot run */
export async function loadSdk(version = process.versions.node): Promise<Sdk> {
  if (Number(version.split('.')[0]) < 22) {
    const message = `Workers of Restate need Node 22 or newer, and this is ${version}. Start them on a newer one; runs can be started, awaited and decided on from here.`
    throw new CapstanError('unsupported', message, { evidence: { version } })
  }
  try {
    return await import('@restatedev/restate-sdk')
  } catch (cause) {
    const message =
      'Workers of Restate need the package @restatedev/restate-sdk: npm install @restatedev/restate-sdk'
    throw new CapstanError('unsupported', message, { cause })
  }
}
