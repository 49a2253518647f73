import { environmentSecrets } from './environment-secrets.js'
import { withoutNamed } from './named-secrets.js'
import { Secrets } from './secrets.js'

/** Reads the variables before each text: a program may set them late. */
const ofEnvironment = new Secrets((secrets) => {
  for (const secret of environmentSecrets()) secrets.add(secret)
})

/**
 * A text without credentials: secrets of the environment, passwords in addresses, keys of known forms, and values
 * behind names such as `password=`. The text around them stays.
 */
export function withoutCredentials(text: string): string {
  return ofEnvironment.hide(withoutNamed(text))
}
