#!/bin/sh
# What staging has becomes what production has, by way of git. In the folder of the configuration, with STAGING_URL, STAGING_KEY,
# PRODUCTION_URL and PRODUCTION_KEY: `promote.sh` commits what staging has and says what would change (2), or that nothing would (0);
# `promote.sh --yes` does what was committed, whatever staging has by then.
set -eu

staging() { CONCLAVE_URL=$STAGING_URL CONCLAVE_KEY=$STAGING_KEY conclave "$@"; }
production() { CONCLAVE_URL=$PRODUCTION_URL CONCLAVE_KEY=$PRODUCTION_KEY conclave "$@"; }

if [ -n "$(git status --porcelain)" ]; then
  echo "promote: commit or drop what is changed here first" >&2
  exit 1
fi
if [ "${1:-}" = "--yes" ]; then
  production apply --prune --yes
else
  staging pull --prune
  git add --all .
  git diff --cached --quiet || git commit --quiet --message "What staging has"
fi
production diff --prune
