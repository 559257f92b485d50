# Manual pages and completions of a program, made by the program itself. Run as a script:
# cmake -DPROGRAM=build/cli/cane -DNAME=cane -DFOLDER=share -DPREFIX=/usr/local -P pages.cmake
# Its verbs are the words at the beginning of the lines of its help that begin with two blanks.

function(write_page file)
  execute_process(COMMAND ${PROGRAM} help ${ARGN} OUTPUT_FILE ${FOLDER}/${file}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Debian's zsh looks for completions of packages in a folder of its own.
set(zsh_folder zsh/site-functions)
if(PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
  set(zsh_folder zsh/vendor-completions)
endif()

file(REMOVE_RECURSE ${FOLDER})
foreach(folder man/man1 bash-completion/completions ${zsh_folder} fish/vendor_completions.d)
  file(MAKE_DIRECTORY ${FOLDER}/${folder})
endforeach()
write_page(bash-completion/completions/${NAME} --completion bash)
write_page(${zsh_folder}/_${NAME} --completion zsh)
write_page(fish/vendor_completions.d/${NAME}.fish --completion fish)
write_page(man/man1/${NAME}.1 --man)
execute_process(COMMAND ${PROGRAM} help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n  [a-z]+ +[A-Z]" verbs "${help}")
foreach(verb IN LISTS verbs)
  string(REGEX MATCH "[a-z]+" verb "${verb}")
  write_page(man/man1/${NAME}-${verb}.1 --man ${verb})
endforeach()
