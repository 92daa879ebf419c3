# Folders in which a network plugin is installed besides the usual ones, from the command lines of its services and the environment
# variables of the machine. Only files with fixed names are read there.

# A folder or a file on the system drive, without wildcards and .., and not below C:\Windows.
function Test-InstallPath {
    param([AllowNull()][AllowEmptyString()][string]$Path)
    $Path -match '^[Cc]:\\[^\\:*?"<>|\x00-\x1F]+(\\[^\\:*?"<>|\x00-\x1F]+)*\z' -and $Path -notmatch '(^|\\)\.\.?(\\|\z)' -and $Path -notmatch '^[Cc]:\\Windows(\\|\z)'
}

# "C:/openvswitch/logs/" -> "C:\openvswitch\logs". Nothing if Test-InstallPath refuses it.
function Format-InstallPath {
    param([AllowNull()][AllowEmptyString()][string]$Path)
    $clean = ([string]$Path).Trim().Replace('/', '\').TrimEnd('\') -replace '\\{2,}', '\'
    if (Test-InstallPath -Path $clean) { $clean }
}

function Get-InstallFolder {
    param([AllowNull()][AllowEmptyString()][string]$Path)
    $clean = Format-InstallPath -Path $Path
    if ($null -ne $clean) { Format-InstallPath -Path $clean.Substring(0, $clean.LastIndexOf('\')) }
}

# The command lines of these services, or of the programs that nssm runs for them.
function Get-ServiceCommand {
    param([Parameter(Mandatory = $true)][string[]]$Names)
    foreach ($service in @(Get-CimInstance -ClassName Win32_Service | Where-Object -FilterScript { $Names -contains $_.Name })) {
        # The section services reports a key that cannot be read.
        try { $wrapped = Get-WrappedProgram -Name $service.Name } catch { $wrapped = $null }
        $line = [string]$service.PathName
        if ($null -ne $wrapped) { $line = '"{0}" {1}' -f $wrapped.Application, $wrapped.Arguments }
        [pscustomobject]@{ Name = $service.Name; Line = $line }
    }
}

# The program of a command line, in quotes or up to the first ".exe".
function Get-CommandProgram {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Line)
    if ($Line -match '^\s*"([^"]+)"' -or $Line -match '^\s*(.+?\.exe)(\s|\z)') { return $Matches[1] }
}

# The values of an option: --log-file="C:\a b\x", "--log-file=C:\a b\x", --log-file=C:\x, --log_dir C:\x
function Get-CommandOption {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Line, [Parameter(Mandatory = $true)][ValidatePattern('^[\w:=-]+\z')][string]$Option)
    foreach ($match in [regex]::Matches($Line, """-{1,2}$Option[= ]?([^""]+)""|(?<![\w-])-{1,2}$Option(?:[= ])?(?:""([^""]+)""|([^\s""]+))")) {
        $match.Groups[1].Value + $match.Groups[2].Value + $match.Groups[3].Value
    }
}

# Open vSwitch: Antrea's scripts install it in C:\openvswitch. The MSI of OVS (windows/ovs-windows-installer/Product.wxs) has logs
# and database below its own folder and pipes and pid files in ProgramData, and sets them in the command lines and in OVS_*.
function Get-OvsPlace {
    $commands = @(Get-ServiceCommand -Names @('ovsdb-server', 'ovs-vswitchd', 'ovn-controller'))
    $run = @(Format-InstallPath -Path (Get-MachineVariable -Name OVS_RUNDIR))
    $log = @(Format-InstallPath -Path (Get-MachineVariable -Name OVS_LOGDIR))
    $databases = @()
    $programs = @()
    foreach ($command in $commands) {
        foreach ($option in @('pidfile=', 'unixctl=', 'remote=punix:')) {
            $run += @(Get-CommandOption -Line $command.Line -Option $option | ForEach-Object -Process { Get-InstallFolder -Path $_ })
        }
        $log += @(Get-CommandOption -Line $command.Line -Option 'log-file=' | ForEach-Object -Process { Get-InstallFolder -Path $_ })
        $program = [string](Get-CommandProgram -Line $command.Line)
        # nssm itself may be in any folder.
        if ($program -match '\\(ovsdb-server|ovs-vswitchd)\.exe\z') { $programs += @(Get-InstallFolder -Path $program) }
        foreach ($match in [regex]::Matches($command.Line, '(?i)"([^"=]+\\conf\.db)"|(?<=\s)([^\s"=]+\\conf\.db)')) {
            $databases += @(Format-InstallPath -Path ($match.Groups[1].Value + $match.Groups[2].Value))
        }
    }
    $folder = Format-InstallPath -Path (Get-MachineVariable -Name OVS_DBDIR)
    if ($null -ne $folder) { $databases += "$folder\conf.db" }
    [pscustomobject]@{
        Run       = @($run | Where-Object -FilterScript { $null -ne $_ } | Select-Object -Unique)
        Log       = @($log | Where-Object -FilterScript { $null -ne $_ } | Select-Object -Unique)
        Databases = @($databases | Where-Object -FilterScript { $null -ne $_ } | Select-Object -Unique)
        Programs  = @($programs | Where-Object -FilterScript { $null -ne $_ } | Select-Object -Unique)
    }
}

# Antrea as a service: the machine variable Antrea_Home, the folder of its program, or C:\antrea (antrea docs/windows.md).
function Get-AntreaHome {
    $found = @(Format-InstallPath -Path (Get-MachineVariable -Name Antrea_Home))
    foreach ($command in @(Get-ServiceCommand -Names @('antrea-agent'))) { $found += @(Get-InstallFolder -Path (Get-CommandProgram -Line $command.Line)) }
    @($found | Where-Object -FilterScript { $null -ne $_ -and $_ -notmatch '\\bin\z' } | Select-Object -Unique)
}

# Flannel and the older OVN as services: they, the kubelet and kube-proxy are in one folder, by default C:\k.
function Get-BaseFolder {
    $found = foreach ($command in @(Get-ServiceCommand -Names @('flanneld', 'kubelet', 'kubeproxy', 'kube-proxy', 'ovn-kubernetes-node'))) {
        Get-InstallFolder -Path (Get-CommandProgram -Line $command.Line)
    }
    @($found | Where-Object -FilterScript { $null -ne $_ -and $_ -notmatch '^C:\\Program Files' -and $_ -ne 'C:\k' } | Select-Object -Unique)
}

# Files that are read besides those of the fixed list: fixed names, in folders that differ between machines.
function Get-InstalledFileList {
    $ovs = Get-OvsPlace
    $found = @(
        $ovs.Databases
        foreach ($folder in $ovs.Run) { foreach ($name in @('ovsdb-server', 'ovs-vswitchd', 'ovn-controller')) { "$folder\$name.pid" } }
        foreach ($folder in @(Get-AntreaHome)) { "$folder\conf\antrea-agent.conf", "$folder\antrea-agent.exe", "$folder\antrea-service.exe", "$folder\bin\antrea-agent.exe" }
        foreach ($folder in @(Get-BaseFolder)) { "$folder\cni\config\*", "$folder\cni\*", "$folder\sourceVip.json", "$folder\net-conf.json" }
    )
    $known = @(Get-CniFileList)
    @($found | Where-Object -FilterScript { $known -notcontains $_ } | Select-Object -Unique)
}

# Files that the configuration of Antrea as a service refers to. Only their existence is reported, because kubeconfigs have credentials.
function Get-NamedFileList {
    $found = @(Format-InstallPath -Path (Get-MachineVariable -Name KUBECONFIG))
    $folders = @(@(Get-AntreaHome) + 'C:\antrea' | Select-Object -Unique)
    foreach ($path in @($folders | ForEach-Object -Process { "$_\conf\antrea-agent.conf" }) + 'C:\k\antrea\etc\antrea-agent.conf') {
        foreach ($file in @(Resolve-HostFile -Pattern $path | Where-Object -FilterScript { $_ -is [System.IO.FileInfo] })) {
            # The section files reports a file that cannot be read.
            try { $text = Read-SharedText -Path $file.FullName -Bytes 131072 } catch { continue }
            foreach ($match in [regex]::Matches($text, '(?im)^[ \t]*(?:kubeconfig|\w*(?:cert|key|ca)\w*file)[ \t]*:[ \t]*["'']?([^"''#\r\n]+)')) {
                $found += @(Format-InstallPath -Path $match.Groups[1].Value)
            }
        }
    }
    @($found | Where-Object -FilterScript { $null -ne $_ } | Select-Object -Unique)
}

function Get-InstalledLogList {
    $found = @(
        foreach ($folder in (Get-OvsPlace).Log) { foreach ($name in @('ovsdb-server', 'ovs-vswitchd', 'ovn-controller')) { "$folder\$name.log" } }
        foreach ($folder in @(Get-AntreaHome)) { "$folder\logs\antrea-agent*.log", "$folder\logs\antrea-agent*.log.INFO.*" }
        foreach ($folder in @(Format-InstallPath -Path (Get-MachineVariable -Name Antrea_LogDir))) { "$folder\antrea-agent*.log", "$folder\antrea-agent*.log.INFO.*" }
        foreach ($folder in @(Get-BaseFolder)) { "$folder\*.log", "$folder\logs\*\*.log", "$folder\logs\*\*.log.INFO.*" }
    )
    $known = @(Get-CniLogList)
    @($found | Where-Object -FilterScript { $null -ne $_ -and $known -notcontains $_ } | Select-Object -Unique)
}

# file.remove: only pid files. OVS does not recreate a database at a path that is set in its service.
function Get-InstalledRemovableList {
    foreach ($folder in (Get-OvsPlace).Run) { foreach ($name in @('ovsdb-server', 'ovs-vswitchd', 'ovn-controller')) { "$folder\$name.pid" } }
}
