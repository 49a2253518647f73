// Chooses the service of the main example: from the environment, else the local one.

/** An address, a key, and a sentence for the user. */
export interface FoundService {
  readonly baseURL: string
  /** `''`: no key is sent. */
  readonly apiKey: string
  readonly says: string
}

/** Returns the service of `OPENAI_BASE_URL` and `OPENAI_API_KEY`, or nothing when both are empty or unset. */
export function findService(env: NodeJS.ProcessEnv): FoundService | undefined {
  const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey } = env
  if (baseURL && apiKey) return { baseURL, apiKey, says: `Using ${baseURL}.` }
  if (baseURL) {
    const says = `Using ${baseURL}. No OPENAI_API_KEY, so no key is sent.`
    return { baseURL, apiKey: '', says }
  }
  if (!apiKey) return undefined
  return {
    baseURL: usual,
    apiKey,
    says: `Using ${usual}, because OPENAI_BASE_URL is not set.`,
  }
}

const usual = 'https://api.openai.com/v1'
