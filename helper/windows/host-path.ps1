# Paths of the host. Snapshots and plans always use C:\..., also if the system drive is another one.

function Get-HostPath {
    param([Parameter(Mandatory = $true)][ValidatePattern('^[Cc]:\\')][string]$Path)
    Join-Path -Path $env:SystemDrive -ChildPath $Path.Substring(2)
}

# The reverse: the path in a snapshot.
function Get-ShownPath {
    param([Parameter(Mandatory = $true)][string]$Path)
    'C:' + $Path.Substring($env:SystemDrive.Length).Replace('/', '\')
}

function Get-DataRoot {
    Join-Path -Path $env:ProgramData -ChildPath 'kubectl-win'
}
