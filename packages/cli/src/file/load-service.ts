import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

type ServiceModule = typeof import('@capstan/service')

/**
 * The local service: installed beside this command, or where the command is started.
 * @throws Error that says how to install it
 */
export async function loadService(ways = [beside, () => from(process.cwd())]): Promise<ServiceModule> {
  for (const way of ways) {
    const found = await way().catch(orAbsent)
    if (found) return found
  }
  throw new Error(
    'The local service is not installed. Install it: npm install --save-dev @capstan/service @capstan/speech',
  )
}

function beside(): Promise<ServiceModule> {
  return import('@capstan/service')
}

/** As files of a folder find it. */
export async function from(folder: string): Promise<ServiceModule> {
  const path = createRequire(join(folder, 'any.js')).resolve('@capstan/service')
  return import(pathToFileURL(path).href)
}

/** Nothing when it is not installed; what else went wrong is told. */
function orAbsent(error: unknown): undefined {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown }
  const isAbsent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  if (!isAbsent || !String(message).includes('@capstan/service')) throw error
}
