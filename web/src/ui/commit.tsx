// A commit beside the line it wrote: short id, who, how long ago; all of it for whoever points at it.
import type { CommitNote } from "../lib/types";
import { moment, shortRevision, since } from "../lib/words";

export function person(author: string): string {
  return author.replace(/\s*<[^>]*>\s*$/, "") || author;
}

export function commitTitle(commit: CommitNote): string {
  return `${commit.message}\n${shortRevision(commit.revision)}, ${commit.author}, ${moment(commit.date)}`;
}

export function Commit({ of, words = true }: { of: CommitNote; words?: boolean }) {
  return (
    <span class="commit" title={commitTitle(of)}>
      <span class="m">{shortRevision(of.revision)}</span> {person(of.author)}, {since(of.date)} ago
      {words && <span class="q"> “{of.message}”</span>}
    </span>
  );
}
