import type { Place } from './request.js'

/** Joins two places of one prompt; `both` tells whether the image also shows the first. */
export function joinPlaces(first: Place, second: Place): { readonly place: Place; readonly both: boolean } {
  if (first === second) return { place: first, both: true }
  if (holds[second]?.includes(first)) return { place: second, both: true }
  if (holds[first]?.includes(second)) return { place: first, both: true }
  return { place: second, both: false }
}

/** Places that include others: mountains have a lake, and snow can fall on most. */
const holds: Readonly<Partial<Record<Place, readonly Place[]>>> = {
  mountains: ['sea', 'snow'],
  city: ['sea', 'snow'],
  beach: ['sea'],
  forest: ['meadow', 'snow'],
  meadow: ['snow'],
  sea: ['snow'],
}
