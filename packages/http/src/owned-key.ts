/** What is somebody's, under one key: as JSON, so that no two pairs make one. */
export function ownedKey(owner: string, id: string): string {
  return JSON.stringify([owner, id])
}
