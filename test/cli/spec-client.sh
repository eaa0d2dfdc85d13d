#!/usr/bin/env bash
# A game back end in bash, from the interface alone: curl sends, openssl signs.
# Usage: spec-client.sh <auth_url> <base_url> <game id> <private key>
# Signs a player in by a signed request, saves an entry, reads it back, and prints what it read.
set -euo pipefail
auth_url=$1 base_url=$2 game=$3 key=$4

say() { printf '%s\n' "$*"; }
member() { sed -n "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/p"; }

body="{\"custom_user_id\":\"player-from-bash\",\"device_id\":\"bash-device\",\"game_id\":\"$game\",\"env\":0}"
timestamp="$(date +%s)000"
nonce=$(openssl rand -hex 16)
signature=$(printf '%s\n%s\n%s\n' "$timestamp" "$nonce" "$body" | openssl dgst -sha256 -hmac "$key" -r | cut -d' ' -f1)

answer=$(curl -sS --fail-with-body -X POST "$auth_url/v2/auth/server" \
  -H "Service-Signature: $signature" -H "Service-Timestamp: $timestamp" -H "Service-Nonce: $nonce" \
  -H 'Content-Type: application/json' -H 'X-Forwarded-For: 203.0.113.7' --data-binary "$body")
user=$(say "$answer" | member userId)
say "signed in: ${#user} characters of user id"

again=$(curl -sS -o /dev/null -w '%{http_code}' -X POST "$auth_url/v2/auth/server" \
  -H "Service-Signature: $signature" -H "Service-Timestamp: $timestamp" -H "Service-Nonce: $nonce" \
  -H 'Content-Type: application/json' --data-binary "$body")
say "the same once more: $again"

saves="$base_url/v2/pr/games/$game/saves/$user/collections/hero"
authorization="Authorization: Bearer $key"
for version in -1 0; do
  curl -sS --fail-with-body -X PATCH "$saves/stats/?env=0" -H "$authorization" -H 'Content-Type: application/json' \
    --data-binary "{\"value\":{\"name\":\"Zoë\",\"coins\":1.50},\"version\":$version}"
  say
done
curl -sS --fail-with-body "$saves?env=0" -H "$authorization" -H 'Content-Type: application/json'
say
