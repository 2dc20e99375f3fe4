# bash completion for clothsim. Installed as share/bash-completion/completions/clothsim.
_clothsim() {
  local cur prev words cword
  _init_completion -n = 2>/dev/null || {
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD - 1]}
  }
  case $prev in
  -o | --out)
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
    compopt -o filenames
    return
    ;;
  --dump-model)
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    compopt -o filenames
    return
    ;;
  --progress)
    mapfile -t COMPREPLY < <(compgen -W "auto bar plain json alf openjd none" -- "$cur")
    return
    ;;
  -j | --threads)
    mapfile -t COMPREPLY < <(compgen -W "$(seq "$(nproc)")" -- "$cur")
    return
    ;;
  --set)
    mapfile -t COMPREPLY < <(compgen -W "frames.start= frames.end= frames.fps= frames.substeps= frames.accuracy= gravity=
      solver.method= solver.linear= solver.preconditioner= solver.iterations= solver.tolerance=
      contact.thickness= contact.friction= contact.response=
      output.obj= output.cache= output.digits= output.velocities= output.colliders=" -- "$cur")
    compopt -o nospace
    return
    ;;
  --checkpoint-every)
    mapfile -t COMPREPLY < <(compgen -W "1 10 60s 10m 1h" -- "$cur")
    return
    ;;
  -s | --start | -e | --end | --frames | --resume-from | --max-time) return ;;
  esac
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "--out --overwrite --resume --resume-from --from-cache --allow-changes
      --checkpoint-every --keep-checkpoints --max-time --start --end --frames --set --threads --check
      --print-config --print-schema --dump-model --verify-contact --strict --verify-substeps --progress --quiet --verbose --json --version --help" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- "$cur"; compgen -d -- "$cur")
    compopt -o filenames
  fi
}
complete -F _clothsim clothsim

_clothfarm() {
  local cur prev
  cur=${COMP_WORDS[COMP_CWORD]}
  prev=${COMP_WORDS[COMP_CWORD - 1]}
  case $prev in
  -o | --out) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
  --export) mapfile -t COMPREPLY < <(compgen -W "obj ply pc2 mdd vtp abc usda glb" -- "$cur") ;;
  --emit) mapfile -t COMPREPLY < <(compgen -W "commands slurm openjd" -- "$cur") ;;
  --wedge | --cpus | --memory | --time | --throttle | --array-size | --sbatch) ;;
  *)
    if [[ $cur == -* ]]; then
      mapfile -t COMPREPLY < <(compgen -W "--out --wedge --export --emit --list --overwrite --cpus --memory --time
        --throttle --array-size --sbatch --clothsim --help --version" -- "$cur")
    else
      mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- "$cur"; compgen -d -- "$cur")
    fi
    ;;
  esac
}
complete -F _clothfarm clothfarm
