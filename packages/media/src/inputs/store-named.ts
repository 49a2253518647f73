import { type Artifact, CapstanError } from '@capstan/core'
import { type Allow, limitsOf } from './allow.js'
import { fetchUrl } from './fetch-url.js'
import { fileInFolder } from './file-in-folder.js'
import { holdBytes } from './held.js'
import { type Intake, storeHeld } from './store-held.js'

/** Whether a model wrote an address where an id is usual. */
export function isAddress(given: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(given)
}

/**
 * What an address holds that a model wrote, as an artifact: a stranger's words, so only what is allowed is reached.
 * @throws CapstanError `invalid_arguments` for what is not, or `not_found`, `api`, `timeout`, `network`
 */
export async function storeNamed(address: string, allow: Allow, intake: Intake): Promise<Artifact> {
  const { folder, hosts = [] } = allow
  const { field, signal } = intake
  const limits = limitsOf(allow)
  if (/^file:/i.test(address) && folder !== undefined)
    return storeHeld(holdBytes(await fileInFolder(address, folder, limits.bytes)), '', intake)
  if (/^https?:/i.test(address) && hosts.length > 0 && URL.canParse(address)) {
    const reach = { hosts }
    const told = { what: `"${field}"`, code: 'invalid_arguments', advice: 'Give an artifact id.' } as const
    await using fetched = await fetchUrl(new URL(address), { ...told, reach, signal, limits })
    return await storeHeld(fetched, fetched.mediaType, intake)
  }
  const message = `"${field}" does not take the address "${address.slice(0, 60)}": ${ruleOf(allow)}.`
  throw new CapstanError('invalid_arguments', message, { evidence: { field } })
}

function ruleOf({ folder, hosts = [] }: Allow): string {
  const taken = [
    'an artifact id',
    ...(folder === undefined ? [] : ['file:<name>']),
    ...(hosts.length > 0 ? [`an address at ${hosts.join(' or ')}`] : []),
  ]
  return `give ${taken.join(', or ')}`
}
