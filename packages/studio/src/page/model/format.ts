/** Formats a duration: `3 ms`, `1.2 s`, `2 min 5 s`. */
export function formatMs(ms: number): string {
  if (!Number.isFinite(ms)) return '?'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Formats a size: `512 B`, `1.2 kB`, `34 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${unit === 0 || size >= 10 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}

/** Formats a number with a comma between groups of three digits: `1,240`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** Formats a cost with two decimal places, or four if it is below 0.1. Empty if there is no cost. */
export function formatCost(cost: number | 'unknown' | undefined): string {
  if (cost === undefined) return ''
  if (cost === 'unknown') return 'unknown'
  return cost === 0 ? '0' : cost.toFixed(cost < 0.1 ? 4 : 2)
}

/** Formats an ISO timestamp in local time. Adds the date unless the timestamp is from today. */
export function formatMoment(iso: string, now: Date = new Date()): string {
  const moment = new Date(iso)
  if (Number.isNaN(moment.getTime())) return iso
  const time = moment.toLocaleTimeString('en-GB', { hour12: false })
  return moment.toDateString() === now.toDateString()
    ? time
    : `${moment.toLocaleDateString('en-CA')} ${time.slice(0, 5)}`
}

/** Puts text on one line and cuts it to `most` characters, with `…` at the end. Never splits a surrogate pair. */
export function shorten(text: string, most = 120): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= most) return line
  const cut = line.slice(0, most - 1)
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** Formats a count with its noun: `1 call`, `1,240 calls`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/**
 * Formats a value on one line, cut to `most` characters. Strings are shown without quotes, and other values as JSON.
 */
export function oneLine(value: unknown, most = 120): string {
  if (value === undefined) return ''
  return shorten(typeof value === 'string' ? value : JSON.stringify(value), most)
}

interface Spent {
  readonly images?: number
  readonly audioSeconds?: number
  readonly characters?: number
  readonly model?: string | undefined
}

/** Formats the units that a call was billed for: `1 image (painter), 12 characters`. */
export function spentWords(spent: readonly Spent[]): string {
  return spent
    .map(({ images, audioSeconds, characters, model }) => {
      const units = [
        images === undefined ? '' : plural(images, 'image'),
        audioSeconds === undefined ? '' : `${Math.round(audioSeconds * 10) / 10} s of audio`,
        characters === undefined ? '' : plural(characters, 'character'),
      ]
      const words = units.filter((one) => one !== '').join(', ')
      return words && model ? `${words} (${model})` : words
    })
    .filter((one) => one !== '')
    .join(', ')
}
